// Orocos KDL's Levenberg-Marquardt on chains of the bench's links, each link turned by two hinges
// (Z, then Y): position alone.
//     c++ -O3 -shared -fPIC -Iinclude -I. -I/usr/include/eigen3 bench/peers/kdl_ik.cpp -o kdl_ik.so
//     -lorocos-kdl
#include "bench/peers/ik_peer.h"

#include <memory>

#include <kdl/chain.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainiksolverpos_lma.hpp>

namespace
{

KDL::Chain chain;
std::unique_ptr<KDL::ChainIkSolverPos_LMA> solver;
std::unique_ptr<KDL::ChainFkSolverPos_recursive> forward;
KDL::JntArray begin, solved;

void chain_make(uint32_t links)
{
    chain = KDL::Chain();
    for (uint32_t i = 0; i < links; ++i) {
        chain.addSegment(KDL::Segment(KDL::Joint(KDL::Joint::RotZ)));
        chain.addSegment(
            KDL::Segment(KDL::Joint(KDL::Joint::RotY), KDL::Frame(KDL::Vector(1, 0, 0))));
    }
    Eigen::Matrix<double, 6, 1> weights;
    weights << 1, 1, 1, 0, 0, 0;
    solver = std::make_unique<KDL::ChainIkSolverPos_LMA>(chain, weights, 1e-3, 200);
    forward = std::make_unique<KDL::ChainFkSolverPos_recursive>(chain);
    begin = KDL::JntArray(chain.getNrOfJoints());
    solved = begin;
    for (unsigned i = 0; i < chain.getNrOfJoints(); ++i) {
        begin(i) = 0.02; // at zero its Jacobian is singular
    }
}

void chain_solve(lmb_vec3 target, lmb_vec3 *out_tip)
{
    solver->CartToJnt(begin, KDL::Frame(KDL::Vector(target.x, target.y, target.z)), solved);
    KDL::Frame frame;
    forward->JntToCart(solved, frame);
    *out_tip = lmb_vec3{(float)frame.p.x(), (float)frame.p.y(), (float)frame.p.z()};
}

const ik_peer peer = {"Orocos KDL LMA", nullptr,    nullptr,    nullptr,
                      nullptr,          chain_make, chain_solve};

} // namespace

extern "C" __attribute__((visibility("default"))) const ik_peer *ik_peer_get(void)
{
    return &peer;
}
